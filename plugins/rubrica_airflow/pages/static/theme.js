// Before anything is drawn: Airflow's own choice of light or dark, and of a language, where there is one.
(() => {
  const root = document.documentElement;
  const stored = (key) => { try { return localStorage.getItem(key); } catch { return null; } };

  function apply() {
    const chosen = stored("theme");
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
    else delete root.dataset.theme;
  }
  apply();
  addEventListener("storage", (event) => { if (event.key === "theme" || event.key === null) apply(); });

  if (window.top !== window.self) {
    root.dataset.framed = "";
    const wanted = (stored("i18nextLng") || "").slice(0, 2);
    const other = (wanted === "ru" || wanted === "en") && wanted !== root.lang;
    const address = new URL(location.href);
    if (other && !/(^|; )rubrica_lang=/.test(document.cookie) && !address.searchParams.has("lang")) {
      address.searchParams.set("lang", wanted);
      location.replace(address);
    }
  }
})();
