"""The page in a browser: it loads offline, without complaint, and reacts."""

import copy
import os
import shutil
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from predfeat.report import render

# Where a browser is a must, as in .ci/run, its absence is no excuse.
REQUIRED = "PREDFEAT_BROWSER" in os.environ
if not REQUIRED:
    pytest.importorskip("selenium", reason="selenium is not installed")
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

CHROMIUM = shutil.which("chromium")
CHROMEDRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (REQUIRED or (CHROMIUM and CHROMEDRIVER)),
    reason="there is no chromium with chromedriver",
)
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --window-size=1100,900"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    # Several files may be saved one after the other.
    options.add_experimental_option(
        "prefs", {"profile.default_content_setting_values.automatic_downloads": 1}
    )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, all_results):
    folder = tmp_path_factory.mktemp("pages")
    for name, results in all_results.items():
        (folder / f"{name}.html").write_text(render(results), encoding="utf-8")
    return folder


def open_page(browser, path: Path):
    browser.get_log("browser")
    browser.get(path.as_uri())


def view(browser):
    box = browser.find_element(By.ID, "traces")
    return float(box.get_attribute("data-from")), float(box.get_attribute("data-to"))


def after(browser, action, before):
    """Do something and return the view it leads to; the chart draws in the next frame."""
    action()
    WebDriverWait(browser, 5).until(lambda b: view(b) != before)
    return view(browser)


def button(browser, name):
    return browser.find_element(By.CSS_SELECTOR, f"#traces button[data-do={name}]")


@pytest.mark.parametrize("name", ["table", "trials", "sound", "video", "noise"])
def test_page_loads_offline_without_complaint(browser, folder, name):
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0},
    )
    browser.get_log("performance")
    open_page(browser, folder / f"{name}.html")
    assert browser.get_log("browser") == []
    assert "live" in browser.find_element(By.ID, "traces").get_attribute("class")
    asked_for = [e["message"] for e in browser.get_log("performance")]
    assert not any('"url":"http' in message for message in asked_for)
    shown = browser.execute_script(
        "return Array.from(document.images, i => i.complete && i.naturalWidth > 0)"
    )
    assert all(shown)
    assert len(shown) == (9 if name == "video" else 0)


def test_the_complaints_would_be_seen(browser, folder, tmp_path):
    text = (folder / "table.html").read_text(encoding="utf-8")
    path = tmp_path / "broken.html"
    path.write_text(text.replace("</body>", "<script>alert(1)</script></body>"), encoding="utf-8")
    open_page(browser, path)
    assert any("Content Security Policy" in e["message"] for e in browser.get_log("browser"))


def test_buttons_zoom_and_move(browser, folder):
    open_page(browser, folder / "table.html")
    whole = view(browser)
    assert whole == (0.0, 500.0)
    path = "return document.querySelector('svg[data-trace] path.trace').getAttribute('d')"
    drawn = browser.execute_script(path)
    half = after(browser, button(browser, "in").click, whole)
    assert half == (125.0, 375.0)
    assert browser.execute_script(path) != drawn
    moved = after(browser, button(browser, "right").click, half)
    assert moved == (187.5, 437.5)
    assert after(browser, button(browser, "left").click, moved) == half
    wider = after(browser, button(browser, "out").click, half)
    assert wider == whole
    again = after(browser, button(browser, "in").click, whole)
    assert after(browser, button(browser, "all").click, again) == whole
    assert browser.execute_script(path) == drawn


def test_keys_zoom_and_move(browser, folder):
    open_page(browser, folder / "table.html")
    box, whole = browser.find_element(By.ID, "traces"), view(browser)
    near = after(browser, lambda: box.send_keys("+"), whole)
    assert near == (125.0, 375.0)
    right = after(browser, lambda: box.send_keys(Keys.ARROW_RIGHT), near)
    assert right[0] > near[0]
    assert after(browser, lambda: box.send_keys(Keys.ARROW_LEFT), right) == near
    assert after(browser, lambda: box.send_keys("0"), near) == whole


def test_wheel_zooms_at_the_pointer_and_dragging_moves(browser, folder):
    open_page(browser, folder / "table.html")
    lane = browser.find_element(By.CSS_SELECTOR, "svg[data-trace='0']")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", lane)
    whole = view(browser)
    origin = webdriver.ActionChains(browser).move_to_element_with_offset(
        lane, -lane.size["width"] // 4, 0
    )
    origin.perform()
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    place = ScrollOrigin.from_element(lane, -lane.size["width"] // 4, 0)

    def wheel(amount):
        webdriver.ActionChains(browser).scroll_from_origin(place, 0, amount).perform()

    near = after(browser, lambda: wheel(-200), whole)
    assert near[1] - near[0] < 400
    # The row under the pointer, a quarter from the left, stays where it is.
    assert near[0] + (near[1] - near[0]) / 4 == pytest.approx(125, abs=2)

    def drag():
        webdriver.ActionChains(browser).click_and_hold(lane).move_by_offset(
            -60, 0
        ).release().perform()

    assert after(browser, drag, near)[0] > near[0]
    # Out of everything the wheel scrolls the page.
    after(browser, button(browser, "all").click, view(browser))
    before = browser.execute_script("return window.scrollY")
    wheel(200)
    WebDriverWait(browser, 5).until(lambda b: b.execute_script("return window.scrollY") > before)


def test_zoomed_lines_break_at_gaps(browser, folder):
    open_page(browser, folder / "trials.html")
    path = browser.execute_script(
        "return document.querySelector('svg[data-trace] path.trace').getAttribute('d')"
    )
    assert path.count("M") >= 10  # eight sequences, and two gaps


@pytest.mark.parametrize("name", ["table", "trials", "sound", "video"])
@pytest.mark.parametrize("width", [390, 320])
def test_nothing_is_wider_than_a_phone(browser, folder, name, width):
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        open_page(browser, folder / f"{name}.html")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize(
    ("days", "expected"),
    [(1461, ["2013", "2014", "2015"]), (90, ["Jan 2013", "Feb"]), (20, ["7 Jan 2013", "14 Jan"])],
)
def test_time_axes_are_dates_where_there_are_dates(browser, all_results, tmp_path, days, expected):
    results = copy.deepcopy(all_results["table"])
    start = 1356998400  # 2013-01-01
    dates = {"rows": [0, 499], "seconds": [start, start + days * 86_400]}
    results["features"]["axis"]["dates"] = dates
    page = tmp_path / "dates.html"
    page.write_text(render(results), encoding="utf-8")
    open_page(browser, page)
    axis = browser.find_element(By.CSS_SELECTOR, ".axis svg")
    shown = [t.get_attribute("textContent") for t in axis.find_elements(By.TAG_NAME, "text")]
    assert shown[: len(expected)] == expected
    after(browser, button(browser, "in").click, view(browser))
    said = browser.find_element(By.CSS_SELECTOR, "#traces output").text
    assert " 2013 " in f"{said} " or " 2014 " in f"{said} "
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_figure_can_be_saved(browser, folder, tmp_path, scheme):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    open_page(browser, folder / "video.html")
    figures = browser.find_elements(By.CSS_SELECTOR, "section figure")
    assert all(len(f.find_elements(By.CSS_SELECTOR, ".save button")) == 2 for f in figures)
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    for name in ("features", "loadings"):
        for kind in ("svg", "png"):
            saver = browser.find_element(By.CSS_SELECTOR, f"#{name} [data-save={kind}]")
            saver.click()
            path = tmp_path / f"{name}.{kind}"
            WebDriverWait(browser, 10).until(lambda _, path=path: path.exists())
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert browser.get_log("browser") == []
    drawn = ElementTree.fromstring((tmp_path / "features.svg").read_text(encoding="utf-8"))
    texts = ["".join(t.itertext()) for t in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "Features" in texts
    assert "feature 1" in texts
    assert "SVG" not in texts  # what is for the hand is not in the picture
    assert drawn.find("{http://www.w3.org/2000/svg}rect").get("fill") == ground
    assert "class=" not in (tmp_path / "features.svg").read_text(encoding="utf-8")
    pictures = ElementTree.parse(tmp_path / "loadings.svg").getroot()
    assert len(list(pictures.iter("{http://www.w3.org/2000/svg}image"))) == 9
    png = (tmp_path / "loadings.png").read_bytes()
    width, height = struct.unpack(">II", png[16:24])
    assert (width, height) == (2 * int(pictures.get("width")), 2 * int(pictures.get("height")))


def figures_in_words(browser):
    """Return the pictures that a screen reader meets, once the browser has made their tree."""
    tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    figures = [n for n in tree if n.get("role", {}).get("value") in ("image", "img")]
    return figures if len(figures) >= 10 else None


def test_every_figure_has_a_name_for_screen_readers(browser, folder):
    for name in ("table", "sound", "video"):
        open_page(browser, folder / f"{name}.html")
        figures = WebDriverWait(browser, 20).until(figures_in_words)
        assert all(len(n["name"]["value"]) > 20 for n in figures)


def test_dark_and_light_differ(browser, folder):
    colours = []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        open_page(browser, folder / "table.html")
        style = "return getComputedStyle(document.body)"
        colours.append(browser.execute_script(f"{style}.backgroundColor"))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert colours[0] != colours[1]
