// Pages of reports in a real browser, for the tests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

export const pages = process.env.PAGES;
export const skip = pages && process.env.BROWSER ? false : "PAGES and BROWSER name no pages and no browser: run go test ./web";
export const wide = { width: 1280, height: 900 };
export const narrow = { width: 360, height: 740 };

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser;

before(async () => {
  if (skip) return;
  browser = await chromium.launch({
    executablePath: process.env.BROWSER,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});
after(() => browser?.close());

/** Opens a page, and fails the test for errors, requests and dialogs. */
export async function open(t, name, { hash = "", view = wide, scheme = "light", js = true } = {}) {
  const context = await browser.newContext({ viewport: view, colorScheme: scheme, javaScriptEnabled: js });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && wrong.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => wrong.push(`error: ${e.message}`));
  page.on("request", (r) => !/^(file|data|blob):/.test(r.url()) && wrong.push(`request: ${r.url()}`));
  page.on("dialog", (d) => (wrong.push(`dialog: ${d.message()}`), d.dismiss()));
  await page.goto(`file://${join(pages, name)}.html${hash}`);
  if (js) await page.waitForSelector("#count");
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  return page;
}

export const count = (page) => page.textContent("#count");
export const rows = (page) => page.locator(".list .row");

/** Opens all that is folded in a case. */
export const unfold = (page) => page.$$eval(".story summary", (all) => all.forEach((s) => s.click()));

/** Fails for anything that keeps people from reading the page, and if it is wider than the window. */
export async function fit(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(" | ")}`), []);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(over <= 0, `the page is ${over} px too wide`);
}
