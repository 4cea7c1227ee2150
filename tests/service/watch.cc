// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/watch.h"

#include <chrono>

#include "google/protobuf/wrappers.pb.h"

namespace ikstream::testing {
namespace {

using google::protobuf::Int32Value;
using google::protobuf::StringValue;

std::string NameBytes(const std::string& service) {
  StringValue name;
  name.set_value(service);
  return name.SerializeAsString();
}

int StatusIn(const std::string& bytes) {
  Int32Value status;
  return status.ParseFromString(bytes) ? status.value() : -1;
}

}  // namespace

RawStream::RawStream(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                     const std::string& request)
    : stub_(channel) {
  context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  call_ = stub_.PrepareCall(&context_, method, &queue_);
  call_->StartCall(this);
  if (!Next()) return;
  const grpc::Slice slice(request);
  call_->Write(grpc::ByteBuffer(&slice, 1), this);
  Next();
}

RawStream::~RawStream() {
  context_.TryCancel();
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

bool RawStream::Next() {
  void* tag = nullptr;
  bool ok = false;
  return queue_.Next(&tag, &ok) && ok;
}

bool RawStream::Read(std::string& bytes) {
  grpc::ByteBuffer buffer;
  call_->Read(&buffer, this);
  if (!Next()) return false;
  grpc::Slice slice;
  if (!buffer.DumpToSingleSlice(&slice).ok()) return false;
  bytes.assign(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return true;
}

void RawStream::HalfClose() {
  call_->WritesDone(this);
  Next();
}

grpc::StatusCode RawStream::Finish() {
  grpc::Status status;
  call_->Finish(&status, this);
  Next();
  return status.error_code();
}

int CheckHealth(const std::shared_ptr<grpc::Channel>& channel, const std::string& service) {
  RawStream call(channel, "/grpc.health.v1.Health/Check", NameBytes(service));
  call.HalfClose();
  std::string bytes;
  if (call.Read(bytes)) return StatusIn(bytes);
  return -static_cast<int>(call.Finish());
}

std::unique_ptr<RawStream> WatchHealth(const std::shared_ptr<grpc::Channel>& channel,
                                       const std::string& service) {
  auto watch =
      std::make_unique<RawStream>(channel, "/grpc.health.v1.Health/Watch", NameBytes(service));
  watch->HalfClose();
  return watch;
}

int NextStatus(RawStream& watch) {
  std::string bytes;
  return watch.Read(bytes) ? StatusIn(bytes) : -1;
}

}  // namespace ikstream::testing
