// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Drives the built viewer in Chromium against a real edge, as a person would.
//   node tests/page.mjs URL CHROMIUM [SCREENSHOT.png]
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [url, executablePath, picture] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
  ],
});
const page = await browser.newPage({ viewport: { width: 1000, height: 640 } });
const said = [];
page.on("console", (message) => message.type() === "error" && said.push(message.text()));
page.on("pageerror", (error) => said.push(String(error)));

const words = (id) => page.locator(`#${id}`).textContent();
const point = async (id) => (await words(id)).split(",").map(Number);
const data = async (name) =>
  (await page.locator("#view").getAttribute(name)).split(",").map(Number);
const apart = (a, b) => Math.hypot(...a.map((c, i) => c - b[i]));

async function until(what, holds) {
  const end = Date.now() + 60000;
  while (!(await holds())) {
    if (Date.now() > end)
      throw new Error(`not within 60 s: ${what}; the page says ${await text()}`);
    await page.waitForTimeout(50);
  }
}
const text = () => page.locator("aside").innerText();

const answered = (status) => async () =>
  (await words("status")) === status && (await page.locator("#error").isHidden());

async function reached(what) {
  await until(what, answered("converged"));
  // What forward kinematics says, and what three.js has drawn.
  await until(
    `${what}: the end`,
    async () => apart(await point("end"), await point("target")) < 3e-3,
  );
  await until(
    `${what}: drawn`,
    async () => apart(await data("data-end-at"), await data("data-target-at")) < 3,
  );
}

async function drag(byX, byY) {
  const [x, y] = await data("data-target-at");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + byX, y + byY, { steps: 12 });
  await page.mouse.up();
}

async function dragged() {
  const before = await point("target");
  await drag(60, -40);
  assert.ok(apart(await point("target"), before) > 0.05, "the drag moved the target");
  await reached("a drag");
}

async function keyed() {
  const before = await point("target");
  await page.locator("#view").focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("PageDown");
  const after = await point("target");
  assert.ok(
    Math.abs(after[1] - before[1] - 0.02) < 2e-3 &&
      Math.abs(after[2] - before[2] + 0.02) < 2e-3,
  );
  await reached("the keys");
}

async function turned() {
  const before = await data("data-target-at");
  const target = await words("target");
  await page.mouse.move(60, 560);
  await page.mouse.down();
  await page.mouse.move(160, 520, { steps: 5 });
  await page.mouse.up();
  await until("the view turned", async () => apart(await data("data-target-at"), before) > 5);
  assert.equal(await words("target"), target);
}

async function outOfReach() {
  await page.locator("#view").focus();
  for (let i = 0; i < 25; ++i) await page.keyboard.press("Shift+ArrowUp");
  await until("out of reach", answered("unreachable"));
}

async function refused() {
  await page.selectOption("#solver", "two_bone");
  await until("a refusal", async () => !(await page.locator("#error").isHidden()));
  assert.match(await words("error"), /refuses.*two_bone/);
  await page.selectOption("#solver", "fabrik");
}

async function away() {
  const calls = "**/ikstream.v1.IkService/*";
  await page.route(calls, (route) => route.abort("connectionrefused"));
  await page.locator("#view").focus();
  await page.keyboard.press("ArrowDown");
  await until("a server that is away", async () => (await words("error")).includes("away"));
  await page.unroute(calls);
  await reached("a server that is back");
}

try {
  await page.goto(url);
  assert.match(await page.title(), /ikstream/);
  await reached("the first answer");
  assert.match(await words("server"), /^ikstream \d/);
  await dragged();
  await keyed();
  await turned();
  await page.selectOption("#rig", "10 bones");
  await reached("the chain");
  await dragged();
  await refused();
  await reached("another solver");
  if (picture) await page.screenshot({ path: picture });
  await away();
  await outOfReach();
  // Browsers log the refusal and the lost connection themselves; nothing else may be said.
  assert.deepEqual(
    said.filter((line) => !/^Failed to load resource/.test(line)),
    [],
  );
  console.log("the viewer works");
} finally {
  await browser.close();
}
