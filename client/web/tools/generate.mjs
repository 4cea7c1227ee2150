// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Writes src/client/gen from proto/ and Google's API protos (PyPI googleapis-common-protos, the
// version that cmake/IkstreamDependencies.cmake names). They are taken from the folder that
// IKSTREAM_GOOGLEAPIS names, from build/ where a build put them, or else fetched by pip.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const root = join(web, "..", "..");
const bin = join(web, "node_modules", ".bin");

function fetched(version) {
  const folder = join(web, "node_modules", ".cache", `googleapis-${version}`);
  if (!existsSync(join(folder, "google"))) {
    const wanted = `googleapis-common-protos==${version}`;
    const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"];
    execFileSync("python3", [...pip, "--target", folder, wanted], { stdio: "inherit" });
  }
  return folder;
}

function googleapis() {
  if (process.env.IKSTREAM_GOOGLEAPIS) return process.env.IKSTREAM_GOOGLEAPIS;
  const text = readFileSync(join(root, "cmake", "IkstreamDependencies.cmake"), "utf8");
  const version = /IKSTREAM_GOOGLEAPIS_VERSION ([\d.]+)/.exec(text)[1];
  const built = join(root, "build", `googleapis-${version}`);
  return existsSync(join(built, "google")) ? built : fetched(version);
}

// buf resolves imports inside one workspace: ours beside the four files of Google's in use.
function workspace(folder) {
  cpSync(join(root, "proto", "ikstream"), join(folder, "proto", "ikstream"), {
    recursive: true,
  });
  const google = googleapis();
  for (const name of ["api/annotations", "api/http", "rpc/status", "rpc/error_details"]) {
    const path = join("google", `${name}.proto`);
    cpSync(join(google, path), join(folder, "google-protos", path));
  }
  writeFileSync(
    join(folder, "buf.yaml"),
    "version: v2\nmodules:\n  - path: proto\n  - path: google-protos\n",
  );
  const plugin = {
    local: "protoc-gen-es",
    out: join(web, "src/client/gen"),
    opt: ["target=ts"],
  };
  writeFileSync(
    join(folder, "buf.gen.yaml"),
    JSON.stringify({ version: "v2", clean: true, plugins: [plugin] }),
  );
}

const folder = mkdtempSync(join(tmpdir(), "ikstream-generate-"));
try {
  workspace(folder);
  const env = { ...process.env, PATH: bin + delimiter + process.env.PATH };
  execFileSync(join(bin, "buf"), ["generate"], { cwd: folder, env, stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true });
}
