"""The app for everyone: axe-core looks at every tab, light and dark, on a phone and on a desk."""

import pytest

PANELS = {
    "Score": ("Headline", "Novelty", "Buckets", "Errors"),
    "Audit": ("Contamination", "What leaks"),
    "Split": ("Leakage", "Sizes", "Trade-off", "Command"),
    "Compare": (),
    "Learn": (),
}
STILL = "*, *::before, *::after { transition: none !important; animation: none !important; }"
"""What fades in is there at once."""
LOOK = """async () => {
  const found = [];
  const hidden = [...document.querySelectorAll("[role=tabpanel]")].filter((one) => !one.offsetParent);
  for (const colours of ["light", "dark"]) {
    document.body.classList.toggle("dark", colours === "dark");
    while (document.documentElement.dataset.theme !== colours) await new Promise(requestAnimationFrame);
    const run = await axe.run({ exclude: hidden }, { resultTypes: ["violations"], preload: false });
    for (const one of run.violations)
      if (["serious", "critical"].includes(one.impact))
        found.push([colours, one.id, one.nodes.map((node) => node.target)]);
  }
  return found;
}"""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)], ids=["phone", "desktop"])
def test_axe_finds_nothing_serious(visit, axe, width, height):
    me = visit(viewport={"width": width, "height": height})
    me.page.evaluate(axe)
    me.page.add_style_tag(content=STILL)
    found = []
    for tab, panels in PANELS.items():
        if tab == "Learn":
            me.open(tab)
        else:
            me.tab(tab)
        for panel in panels if width > 400 and panels else (None,):  # on a phone the same is narrower
            if panel:
                me.page.get_by_role("tab", name=panel, exact=True).locator("visible=true").click()
            if tab == "Compare":  # an error is part of the page too
                me.box("Gold").fill("")
                me.press("Compare")
                me.is_said("Not computed")
            found += [(tab, panel, *violation) for violation in me.page.evaluate(LOOK)]
            assert me.page.evaluate("document.documentElement.scrollWidth") <= width, (tab, panel)
    assert found == []
