import { useState } from "preact/hooks";

const names = ["system", "light", "dark"] as const;

/** Colours as the system has them, or light, or dark. */
export function Theme() {
  const [theme, set] = useState<(typeof names)[number]>("system");
  const next = () => {
    const to = names[(names.indexOf(theme) + 1) % names.length]!;
    if (to === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = to;
    set(to);
  };
  return (
    <button type="button" onClick={next}>
      Colours: {theme}
    </button>
  );
}
