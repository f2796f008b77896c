"""The app for everyone: axe-core looks at every tab, light and dark, on a phone and on a desk."""

import pytest

PANELS = {
    "Score": ("Headline", "Novelty", "Buckets", "Errors"),
    "Audit": ("Contamination", "What leaks"),
    "Split": ("Leakage", "Sizes", "Trade-off", "Command"),
    "Compare": (),
    "Learn": (),
}


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)], ids=["phone", "desktop"])
def test_axe_finds_nothing_serious(visit, axe, width, height, colours):
    me = visit(viewport={"width": width, "height": height}, color_scheme=colours)
    me.page.evaluate(axe)
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
                me.page.get_by_label("Gold", exact=True).locator("visible=true").fill("")
                me.press("Compare")
                me.is_said("Not computed")
            me.page.wait_for_timeout(300)  # what fades in has come
            violations = me.page.evaluate("axe.run({ resultTypes: ['violations'] }).then((run) => run.violations)")
            found += [
                (tab, panel, one["id"], [node["target"] for node in one["nodes"]])
                for one in violations
                if one["impact"] in ("serious", "critical")
            ]
    assert found == []
