// What a page's views show beyond the usual result, and the ways in and out of a case.
import assert from "node:assert/strict";
import { test } from "node:test";
import { count, fit, narrow, open, rows, skip, unfold } from "../browser.mjs";

test("the way back closes a case, and a link opens it where it stands in the list", { skip }, async (t) => {
  const page = await open(t, "rag");
  await page.getByLabel("Outcome").selectOption("repairable");
  const listed = await count(page);
  await rows(page).nth(2).click();
  const id = await page.textContent(".story h3");
  const url = page.url();
  await page.getByRole("button", { name: "Next" }).click();
  assert.notEqual(await page.textContent(".story h3"), id);
  await page.getByRole("button", { name: "Previous" }).click();
  assert.equal(await page.textContent(".story h3"), id);
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector(".story"));
  assert.equal(await count(page), listed, "the filters stay");
  assert.ok(await page.evaluate(() => document.activeElement.classList.contains("list")), "the focus goes back to the list");
  await page.goForward();
  assert.equal(await page.textContent(".story h3"), id);
  await page.locator("nav a", { hasText: "Steps" }).click();
  assert.equal(await page.textContent(".story h3"), id, "a link to another part closes nothing");

  const far = await open(t, "rag", { hash: "#cases?open=q150" });
  assert.equal(await far.textContent(".story h3"), "q150");
  assert.ok(await far.locator(".list .row[aria-selected=true]").isVisible());
  await far.focus(".list");
  await far.keyboard.press("Escape");
  assert.equal(await far.locator(".story").count(), 0);

  const none = await open(t, "rag", { hash: "#cases?open=nowhere" });
  assert.match(await none.textContent("#cases .careful"), /no case nowhere/);
  assert.ok(url.includes("open="));

  for (const hash of ["sort=__proto__", "sort=constructor&tag=__proto__", "group=99", "step=toString", "range=x%7C%7Cy", "open=__proto__", "q=%E2%80%AE"]) {
    const odd = await open(t, "rag", { hash: "#cases?" + hash });
    assert.match(await count(odd), /^\d+ (of 200 )?cases$/, hash);
  }
});

test("a call shows what it was given, and whether that differs", { skip }, async (t) => {
  const page = await open(t, "rag", { hash: "#cases?open=q001" });
  const calls = page.locator(".story section.call");
  await calls.first().locator("summary", { hasText: "Inputs (the same in both)" }).click();
  assert.ok((await calls.first().locator("details pre").textContent()).length > 2);
  const changed = page.locator(".story summary", { hasText: "Inputs (they differ)" }).first();
  await changed.click();
  await changed.locator("xpath=..").locator("ins, del").first().waitFor();
});

test("a case's table has every number of the result", { skip }, async (t) => {
  const page = await open(t, "refund");
  await rows(page).first().click();
  await page.locator(".story summary", { hasText: "As a table" }).click();
  const table = page.locator(".story table").first();
  assert.equal(await table.locator("tbody tr").count(), 4);
  assert.equal((await table.locator("tbody tr").first().innerText()).replace(/\s+/g, " "), "planner +0.417 (= 5/12) +1.000 +0.000");
});

test("interactions by an index of choice, pairs in the picture on and off", { skip }, async (t) => {
  const page = await open(t, "eight");
  const cell = page.locator("#interactions .live td.redundancy").first();
  assert.equal(await page.locator("#interactions .static").isVisible(), false);
  const shapley = await cell.textContent();
  const fixed = await page.locator("#interactions .static td.redundancy").first().textContent();
  assert.equal(shapley, fixed, "the page's own table has the same numbers");
  await page.getByLabel("Index").selectOption("stii");
  assert.notEqual(await cell.textContent(), shapley);
  assert.match(await page.textContent("#interactions .live caption"), /^Shapley-Taylor/);

  const pairs = page.locator("#graph .pair.redundancy");
  assert.ok(await pairs.first().isVisible());
  await page.getByLabel("do each other's work").uncheck();
  assert.equal(await pairs.first().isVisible(), false);
  assert.ok(await page.locator("#graph .pair.synergy").first().isVisible());
  await page.getByLabel("do each other's work").check();
  assert.ok(await pairs.first().isVisible());
});

test("on paper all listed cases and all that is folded", { skip }, async (t) => {
  const page = await open(t, "rag", { hash: "#cases?outcome=repairable&open=q001" });
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const listed = Number((await count(page)).split(" ")[0]);
  assert.equal(await page.locator(".paper tbody tr").count(), listed);
  assert.equal(await page.locator(".list").isVisible(), false);
  assert.equal(await page.locator("details:not([open])").count(), 0);
  assert.ok((await page.locator(".story .call details pre").count()) > 4, "what was folded has its content");
  const pdf = await page.pdf();
  assert.ok(pdf.length > 50_000);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await page.locator(".paper tr").count(), 0);
  assert.ok(await page.locator("details:not([open])").count());
});

for (const name of ["calls", "sampled", "cut", "prior", "harm", "pass", "empty"]) {
  test(`${name}: each view and every case opens`, { skip }, async (t) => {
    for (const view of [undefined, narrow]) {
      const page = await open(t, name, { view });
      await page.waitForTimeout(100);
      const all = Number((await count(page)).split(" ")[0]);
      assert.equal(all > 0, name !== "empty");
      for (let i = 0; i < Math.min(all, 6); i++) {
        await rows(page).nth(i).click();
        await page.waitForSelector(".story");
        await unfold(page);
        await page.waitForTimeout(50);
      }
      await fit(page);
      assert.doesNotMatch(await page.evaluate(() => document.querySelector("main").innerText), /undefined,|NaN|\[object/);
    }
  });
}

test("sampled values stand with their intervals, repairs with how often they are needed", { skip }, async (t) => {
  const sampled = await open(t, "sampled", { hash: "#cases?outcome=failing" });
  await rows(sampled).first().click();
  await sampled.locator(".story summary", { hasText: "As a table" }).click();
  assert.match(await sampled.locator(".story table").first().innerText(), /interval[\s\S]*\[[+-]\d\.\d+, [+-]\d\.\d+\]/);
  const cut = await open(t, "cut", { hash: "#cases?outcome=undefined" });
  await rows(cut).first().click();
  assert.match(await cut.locator(".story").innerText(), /Undefined: /);
  const prior = await open(t, "prior", { hash: "#cases?open=q000" });
  assert.match(await prior.locator(".story").innerText(), /no fix \(in 37\.5 % of worlds\) or retrieve \(in 12\.5 % of worlds\)/);
});
