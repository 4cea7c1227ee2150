// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "service/harness.h"
#include "service/process.h"

namespace ikstream {
namespace {

namespace fs = std::filesystem;
using testing::TestServer;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A certificate for localhost that signs itself, made by the openssl command.
class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("tls_" + std::to_string(getpid()) + "_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
    cert_ = folder_ / "cert.pem";
    key_ = folder_ / "key.pem";
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout '" +
        key_.string() + "' -out '" + cert_.string() + "' 2>/dev/null";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "the command openssl is not there";
  }
  void TearDown() override { fs::remove_all(folder_); }

  Options TlsOptions() const {
    Options options = testing::TestOptions();
    options.tls_cert = cert_;
    options.tls_key = key_;
    return options;
  }

  // One Solve over TLS, with a client certificate or without.
  grpc::StatusCode Call(const TestServer& server, bool with_certificate) const {
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = TextOf(cert_);
    if (with_certificate) {
      tls.pem_cert_chain = TextOf(cert_);
      tls.pem_private_key = TextOf(key_);
    }
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride("localhost");
    auto stub = v1::IkService::NewStub(
        grpc::CreateCustomChannel(server.target(), grpc::SslCredentials(tls), arguments));
    return testing::Solve(*stub, testing::FakeRequest(1)).error_code();
  }

  fs::path folder_, cert_, key_;
};

TEST_F(TlsTest, ServesTlsAndNothingElse) {
  TestServer server(TlsOptions());
  EXPECT_EQ(Call(server, false), grpc::StatusCode::OK);
  EXPECT_EQ(testing::Solve(server.stub(), testing::FakeRequest(1)).error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

TEST_F(TlsTest, AsksForClientCertificatesWhereACaIsGiven) {
  Options options = TlsOptions();
  options.tls_client_ca = cert_;
  TestServer server(options);
  EXPECT_EQ(Call(server, true), grpc::StatusCode::OK);
  EXPECT_EQ(Call(server, false), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(TlsTest, FilesThatAreNoCertificateAreAnError) {
  std::ofstream(cert_) << "nonsense";
  const auto server = Server::Start(TlsOptions(), testing::FakeEngine());
  ASSERT_FALSE(server.ok());
  EXPECT_NE(server.status().message().find("TLS files"), absl::string_view::npos);
}

TEST_F(TlsTest, TheHealthCheckSpeaksTls) {
  const std::vector<std::string> tls = {"--tls-cert=" + cert_.string(),
                                        "--tls-key=" + key_.string(),
                                        "--tls-client-ca=" + cert_.string()};
  testing::Daemon daemon(tls);
  ASSERT_TRUE(daemon.WaitUntilServing()) << daemon.Log();
  std::vector<std::string> check = tls;
  check.push_back("--healthcheck");
  check.push_back("--listen=127.0.0.1:" + std::to_string(daemon.grpc_port()));
  testing::Daemon checking(check);
  EXPECT_EQ(checking.Wait(), 0) << checking.Log();
}

}  // namespace
}  // namespace ikstream
