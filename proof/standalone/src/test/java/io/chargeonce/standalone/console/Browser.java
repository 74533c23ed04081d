// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.ExpectedConditions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Debian's headless Chromium, as a person uses it: by what is written on the page. One thread calls. */
final class Browser implements AutoCloseable {

    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    static final int WIDE = 1280;
    static final int NARROW = 390;

    private final URI console;
    private final ChromeDriver driver;

    private Browser(URI console, ChromeDriver driver) {
        this.console = console;
        this.driver = driver;
    }

    static boolean isThere() {
        return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
    }

    static Browser at(URI console) {
        var options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        // --no-sandbox: Chromium's own sandbox refuses to run as root, as in a container.
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--no-first-run");
        var logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        var service = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).usingAnyFreePort().build();
        var browser = new Browser(console, new ChromeDriver(service, options));
        browser.width(WIDE);
        return browser;
    }

    void width(int width) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", width == WIDE ? 860 : 844, "deviceScaleFactor", 1, "mobile", false));
    }

    void dark(boolean dark) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** As when a cable is pulled: what is open breaks, and nothing new comes about. */
    void offline(boolean offline) {
        driver.executeCdpCommand("Network.enable", Map.of());
        driver.executeCdpCommand("Network.emulateNetworkConditions",
                Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    void open(String path) {
        driver.get(console.resolve(path).toString());
        driver.executeScript("window.noNavigation = true");
    }

    String address() {
        return driver.getCurrentUrl().substring(console.toString().length());
    }

    void back() {
        driver.navigate().back();
    }

    /** Whoever was signed in before is not any more. */
    void signIn(String token) {
        driver.get(console.toString());
        driver.manage().deleteAllCookies();
        open("/");
        write("Sign-in token", token);
        press(Keys.ENTER);
        see("Sign out");
        driver.executeScript("localStorage.clear()");
    }

    /** The words are visible on the page, now or soon. */
    void see(String words) {
        until("'%s' is not on the page".formatted(words), () -> text().contains(words));
    }

    String text() {
        return driver.findElement(By.tagName("body")).getText();
    }

    boolean shows(String css) {
        return driver.findElements(By.cssSelector(css)).stream().anyMatch(WebElement::isDisplayed);
    }

    String textOf(String css) {
        return new WebDriverWait(driver, PATIENCE).until(ExpectedConditions.visibilityOfElementLocated(By.cssSelector(css))).getText();
    }

    void until(String otherwise, java.util.function.BooleanSupplier condition) {
        new WebDriverWait(driver, PATIENCE).withMessage(() -> otherwise + ":\n" + text()).until(page -> {
            try {
                return condition.getAsBoolean();
            } catch (org.openqa.selenium.StaleElementReferenceException renderedAgain) {
                return false;
            }
        });
    }

    /** Clicks the button or link with these words; in an open dialog if there is one. */
    void click(String words) {
        String within = driver.findElements(By.cssSelector("dialog[open]")).isEmpty() ? "//" : "//dialog[@open]//";
        String named = "%1$s*[self::button or self::a][starts-with(normalize-space(.), '%2$s') or starts-with(@aria-label, '%2$s')]"
                .formatted(within, words);
        until("there is no '%s' to click".formatted(words), () -> {
            for (WebElement each : driver.findElements(By.xpath(named))) {
                if (each.isDisplayed()) {
                    driver.executeScript("arguments[0].scrollIntoView({block: 'center'})", each);
                    each.click();
                    return true;
                }
            }
            return false;
        });
    }

    void clickAt(String css) {
        new WebDriverWait(driver, PATIENCE).until(ExpectedConditions.elementToBeClickable(By.cssSelector(css))).click();
    }

    /** What a button tells about why it does nothing; empty if it works. */
    String whyNot(String button) {
        WebElement found = driver.findElements(By.xpath("//button[starts-with(normalize-space(.), '%s')]".formatted(button))).getFirst();
        return "true".equals(found.getAttribute("aria-disabled"))
                ? driver.findElement(By.id(found.getAttribute("aria-describedby"))).getAttribute("textContent") : "";
    }

    /** Writes into the field with this label. */
    void write(String label, String text) {
        WebElement field = field(label);
        field.clear();
        field.sendKeys(text);
    }

    /** Chooses the option with this text. */
    void choose(String label, String option) {
        new org.openqa.selenium.support.ui.Select(field(label)).selectByVisibleText(option);
    }

    private WebElement field(String label) {
        String labelled = "//label[normalize-space(.)='%s']".formatted(label);
        String id = new WebDriverWait(driver, PATIENCE).until(ExpectedConditions.visibilityOfElementLocated(By.xpath(labelled)))
                .getAttribute("for");
        return driver.findElement(By.id(id));
    }

    /** Keys to whatever has the focus. */
    void press(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    String focused() {
        return driver.switchTo().activeElement().getText();
    }

    Object run(String script, Object... with) {
        return driver.executeScript(script, with);
    }

    Object await(String script) {
        driver.manage().timeouts().scriptTimeout(PATIENCE);
        return driver.executeAsyncScript(script);
    }

    /** What the browser complained of since it was asked last. Before the sign-in it is told that there is no session. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream().filter(entry -> entry.getLevel().intValue() >= 900)
                .map(entry -> entry.getMessage()).filter(message -> !message.contains("/api/session")).toList();
    }

    /** Whether something reaches out of the page to the right. */
    boolean scrollsSideways() {
        return (Boolean) driver.executeScript("return document.documentElement.scrollWidth > window.innerWidth");
    }

    byte[] screenshot() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    @Override
    public void close() {
        driver.quit();
    }
}
