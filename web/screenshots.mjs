// Pictures of report pages, at desktop and phone width, light and dark.
//
//	node screenshots.mjs FOLDER-OF-PAGES ../docs/images
import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { chromium } from "playwright-core";

const [pages, out] = process.argv.slice(2).map((p) => resolve(p));
const browser = await chromium.launch({ executablePath: process.env.BROWSER ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const file of readdirSync(pages).filter((f) => f.endsWith(".html"))) {
  for (const [size, viewport] of [["desktop", { width: 1100, height: 1500 }], ["phone", { width: 360, height: 1100 }]]) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport, colorScheme });
      const page = await context.newPage();
      await page.goto(`file://${join(pages, file)}`);
      await page.waitForSelector("#cases .live *");
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(out, `${basename(file, ".html")}-${size}-${colorScheme}.png`) });
      if (size === "desktop" && colorScheme === "light") {
        await page.getByLabel("Outcome").selectOption("failing");
        await page.focus(".list");
        await page.keyboard.press("Enter");
        await page.waitForSelector(".story");
        await page.locator(".story").scrollIntoViewIfNeeded();
        await page.locator(".story").screenshot({ path: join(out, `${basename(file, ".html")}-case.png`) });
      }
      await context.close();
    }
  }
}
await browser.close();
