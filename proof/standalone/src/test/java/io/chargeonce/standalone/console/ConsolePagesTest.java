// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.chargeonce.payment.Money;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/**
 * Each page of the console in a real browser, over a real pipeline. With {@code -Dchargeonce.screenshots=docs/console} the pages are
 * kept as pictures there.
 */
class ConsolePagesTest {

    static final String SKIPPED = "Chromium is not here, so the console's pages are not tried: apt-get install chromium chromium-driver";
    private record Page(String name, String path, String words) {}

    private static ConsoleWorld world;
    private static Browser browser;

    /** Says what is skipped, and why: in the build's output too. */
    static void assumeBrowser() {
        if (!Browser.isThere()) {
            System.out.println(SKIPPED);
        }
        assumeThat(Browser.isThere()).as(SKIPPED).isTrue();
    }

    @BeforeAll
    static void start() throws Exception {
        assumeBrowser();
        world = ConsoleWorld.start();
        world.trade(40);
        world.die("pages-0", "pages-1", "pages-2", "pages-3", "pages-4");
        browser = Browser.at(world.console);
    }

    /** Each view, with something to show on it. */
    private static List<Page> pages() throws Exception {
        String payment = world.paymentId("pages-0");
        return List.of(new Page("overview", "/", "Where the payments are"),
                new Page("dead-letters", "/dead-letters", "Grouped by"), new Page("payment", "/payments/" + payment, "What happened"),
                new Page("runs", "/runs", "Runs"), new Page("run", planned(), "Who did what"),
                new Page("waiting", "/waiting", "Waiting in the tiers"), new Page("overdue", "/overdue", "Overdue"),
                new Page("psps", "/psps", "Paused or forced by people"), new Page("rates", "/rates", "Latency of each hop"),
                new Page("audit", "/audit", "Audit"), new Page("bank", "/bank", "Our files"),
                new Page("conservation", "/conservation", "The books"));
    }

    /** A run that waits to be started. */
    private static String planned() throws Exception {
        browser.open("/dead-letters?cause=cancelled_unexecuted");
        browser.click("Select all");
        browser.click("Merge …");
        browser.write("Reason", "the PSP works again");
        browser.click("Freeze the set and look");
        browser.see("Nothing has moved yet.");
        inEachLook("plan");
        return "/runs/" + browser.textOf("dialog .frozen a");
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
        if (world != null) {
            world.close();
        }
    }

    @BeforeEach
    void asAnOperator() {
        browser.width(Browser.WIDE);
        browser.dark(false);
        browser.offline(false);
        browser.signIn(world.token("operator"));
        browser.complaints();
    }

    @Tag("proof")
    @Test
    void no_page_keeps_anyone_out_in_light_or_dark_wide_or_narrow() throws Exception {
        for (Page page : pages()) {
            browser.open(page.path);
            browser.see(page.words);
            browser.until(page + " goes on reading", () -> !browser.shows(".spinner"));
            inEachLook(page.name);
        }
        assertThat(browser.complaints()).isEmpty();
    }

    @Tag("proof")
    @Test
    void no_dialog_keeps_anyone_out_and_a_pause_shows_what_it_concerns_first() throws Exception {
        browser.open("/psps");
        browser.clickAt("section[aria-label=stripe] button");
        browser.see("attempts were sent there");
        inEachLook("pause");
        browser.press(Keys.ESCAPE);
        browser.press("?");
        browser.see("Keyboard shortcuts");
        inEachLook("help");
        assertThat(browser.complaints()).isEmpty();
    }

    private static void inEachLook(String name) throws Exception {
        Looks.each(browser, name);
    }

    @Tag("proof")
    @Test
    void a_wrong_token_is_refused_in_words_and_the_sign_in_page_keeps_no_one_out() throws Exception {
        browser.click("Sign out");
        browser.see("Sign-in token");
        inEachLook("sign-in");
        browser.write("Sign-in token", "operator:wrong");
        browser.press(Keys.ENTER);
        assertThat(browser.textOf("[role=alert]")).isNotBlank();
        assertThat(browser.shows(".views")).isFalse();
    }

    @Test
    void a_filter_is_in_the_address_and_back_takes_it_away() {
        browser.open("/dead-letters");
        browser.see("Grouped by");
        browser.write("Currency", "eur");
        browser.press(Keys.ENTER);
        browser.until("the filter is not in the address", () -> browser.address().equals("/dead-letters?currency=EUR"));
        browser.see("with currency EUR");
        browser.open(browser.address());
        browser.see("with currency EUR");
        browser.click("Dead letters");
        browser.until("the filter stays", () -> browser.address().equals("/dead-letters"));
        browser.back();
        browser.see("with currency EUR");
    }

    @Tag("proof")
    @Test
    void each_currency_has_the_decimals_that_the_terminal_shows() {
        browser.open("/");
        browser.see("Where the payments are");
        var shown = new TreeMap<String, String>();
        var right = new TreeMap<String, String>();
        for (String currency : Money.currencies().keySet()) {
            shown.put(currency, "" + browser.await("""
                    const done = arguments[arguments.length - 1];
                    import('/lib/money.js').then((money) => done(money.moneyText(1299000, '%s')));""".formatted(currency)));
            right.put(currency, Money.format(1_299_000, currency));
        }
        assertThat(shown).hasSizeGreaterThan(150).allSatisfy((currency, text) -> assertThat(text).matches("[\\d,.]+ " + currency));
        shown.replaceAll((currency, text) -> text.replace(",", ""));
        assertThat(shown).isEqualTo(right);
    }

    @Test
    void nothing_that_the_page_shows_turns_the_text_beside_it_around() {
        assertThat(browser.await("""
                const done = arguments[arguments.length - 1];
                import('/lib/html.js').then(({ html, render }) => {
                  const place = document.createElement('div');
                  render(html`<b>${'a\\u202eb'} ${['\\u061c']}</b>`, place);
                  done(place.textContent);
                });""")).isEqualTo("a\\u{202e}b \\u{61c}");
    }

    @Test
    void a_filter_that_was_saved_is_offered_by_its_name() {
        browser.open("/dead-letters?currency=EUR");
        browser.see("with currency EUR");
        browser.clickAt("[aria-label='Name for this filter']");
        browser.press("Euros", Keys.ENTER);
        browser.open("/dead-letters");
        browser.click("Euros");
        browser.see("with currency EUR");
    }

    @Tag("proof")
    @Test
    void a_payment_is_found_by_each_of_its_names_and_tells_its_whole_life() throws Exception {
        browser.open("/");
        browser.see("Where the payments are");
        find(world.paymentId("pages-0"), "payment id");
        find("key-of-pages-0", "idempotency key");
        find(world.pspReference("trade-0"), "psp reference");
        find(ConsoleWorld.customer("pages-0"), "customer");
        find("pages-0", "reference");
        browser.press(Keys.ENTER);
        browser.see("What happened");
        browser.see("Accepted from acme");
        browser.see("It is dead, and safe to charge again");
        assertThat(browser.text()).doesNotContain(ConsoleWorld.customer("pages-0"));
    }

    private static void find(String name, String by) {
        type(name);
        browser.see("by " + by);
    }

    private static void type(String name) {
        browser.press(Keys.ESCAPE);
        browser.press("/");
        browser.run("document.activeElement.select()");
        browser.press(name);
    }

    @Test
    void a_search_with_several_matches_lists_them_and_enter_opens_none_that_was_not_chosen() throws Exception {
        browser.open("/");
        browser.see("Where the payments are");
        type(ConsoleWorld.customer("pages-0"));
        browser.press(Keys.ENTER);
        browser.see("5 payments have this name. Choose one.");
        browser.press(Keys.ENTER);
        assertThat(browser.address()).isEqualTo("/");
        assertThat(Axe.violations(browser)).isEmpty();
        browser.press(Keys.ARROW_DOWN, Keys.ENTER);
        browser.until("the chosen one is not opened", () -> browser.address().startsWith("/payments/pay_"));
        type(ConsoleWorld.customer("trade-0"));
        browser.see("The newest 20 with this name. Choose one.");
        type("key-of-pages-1");
        browser.press(Keys.ENTER);
        String only = "/payments/" + world.paymentId("pages-1");
        browser.until("Enter before the answer opens nothing", () -> browser.address().equals(only));
    }

    @Test
    void what_the_pipeline_could_not_read_stands_beside_the_payments_in_the_picture_and_in_a_merge() throws Exception {
        world.garble("no json", "neither");
        browser.open("/");
        browser.see("+ 2 records");
        browser.see("The pipeline could not read 2 records.");
        browser.until("what was accepted is more or less than what is somewhere", () -> Boolean.TRUE.equals(browser.run("""
                const counts = Object.fromEntries([...document.querySelectorAll('.flow .box')].map((box) =>
                  [box.querySelector('.name').textContent, Number(box.querySelector('.number').textContent.replaceAll(',', ''))]));
                const { accepted, ...places } = counts;
                return accepted > 0 && places.dlq > 0 && accepted === Object.values(places).reduce((all, count) => all + count, 0);""")));
        browser.open("/dead-letters");
        browser.click("Select all");
        browser.click("Merge …");
        browser.see("2 are left: needs editing.");
        browser.press(Keys.ESCAPE);
    }

    @Test
    void the_picture_counts_refunds_beside_payments_and_the_arrow_of_a_merge_begins_at_the_dead_letters() {
        assertThat(browser.await("""
                const done = arguments[arguments.length - 1];
                Promise.all([import('/parts/flow.js'), import('/parts/flow-layout.js')]).then(([{ boxesOf }, { layout, NODE }]) => {
                  const row = (name, kind, money) =>
                    ({ name, kind, currency: 'EUR', in: 1, in_money: money, in_flight: 1, in_flight_money: money });
                  const flow = ['accepted', 'requests'].flatMap((name) => [row(name, 'charge', 1299), row(name, 'refund', 500)]);
                  const boxes = boxesOf({ flow, tiers: [1, 2, 3].map((tier) => ({ tier })), witness: { state: 'live' } });
                  const { accepted, requests } = boxes;
                  const arrows = [1, 3, 4, 9].map((tiers) => {
                    const drawn = layout({ ...boxes, tiers: Array(tiers).fill(boxes.tiers[0]) }, false);
                    const { x, y } = drawn.boxes.find(({ box }) => box.name === 'dlq');
                    return drawn.lines.find(({ dashed }) => dashed).path.startsWith(`M${x + NODE.width / 2} ${y} `);
                  });
                  done(JSON.stringify([accepted.count, accepted.refunds, accepted.money,
                    requests.count, requests.money[0].amount, arrows]));
                });""")).isEqualTo("[1,1,[{\"currency\":\"EUR\",\"amount\":1299,\"count\":1}],2,1799,[true,true,true,true]]");
    }

    @Test
    void a_purged_payment_can_be_restored_and_says_until_when() {
        assertThat((String) browser.await("""
                const done = arguments[arguments.length - 1];
                import('/views/payment-next.js').then(({ nextFor }) => {
                  const purged = { restorable_until: '2096-12-01T10:00:00Z' };
                  const { text, actions } = nextFor('pay_1', [{ what: 'dlq.purged' }], { purged, holds: [] });
                  done(`${actions} ${text}`);
                });""")).startsWith("restore ").contains("until 2096-12-01 10:00:00 UTC, in ");
    }

    @Test
    void a_time_without_a_try_is_a_gap_in_a_rate_and_a_point_between_two_gaps_is_drawn() {
        assertThat(browser.await("""
                const done = arguments[arguments.length - 1];
                import('/views/rates-sums.js').then(({ aligned, alone }) => {
                  const at = (minute) => `2026-11-23T10:0${minute}:00Z`;
                  const point = (minute, succeeded) => ({ at: at(minute), succeeded });
                  const window = { from: at(0), until: at(6), slice_seconds: 60 };
                  const series = [{ key: 'stripe', points: [point(1, 3), point(2, 0), point(5, 4)] }, { key: 'adyen', points: [] }];
                  const [times, stripe, adyen] = aligned(series, (each) => each.succeeded, window);
                  done(JSON.stringify([times.length, times[1] - times[0], stripe, adyen, alone(stripe)]));
                });""")).isEqualTo("[7,60,[null,3,0,null,null,4,null],[null,null,null,null,null,null,null],[5]]");
        browser.open("/rates?by=psp&window=5m");
        browser.see("Only what has ended counts");
        browser.until("no chart is drawn", () -> browser.shows(".plot canvas"));
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void the_sums_are_as_high_as_they_are_and_a_rate_says_of_how_many_it_is() {
        browser.open("/");
        browser.see("that ended succeeded");
        assertThat((Long) browser.run("""
                document.querySelector('.advice').style.height = '3000px';
                return document.querySelector('.figures').offsetHeight;""")).isLessThan(1_000);
    }

    @Test
    void on_a_phone_the_first_dead_letter_is_seen_before_its_filters_which_open_by_their_name() {
        browser.width(Browser.NARROW);
        browser.open("/dead-letters");
        browser.until("there are no rows", () -> browser.shows("tbody tr"));
        assertThat((Boolean) browser.run("""
                const row = document.querySelector('tbody tr').getBoundingClientRect();
                return row.top + 100 < innerHeight;""")).as("the first one is on the first screen").isTrue();
        assertThat(browser.shows("form.filters input") || browser.shows(".groups")).as("filters or groups come first").isFalse();
        browser.clickAt(".fold summary");
        browser.write("Currency", "eur");
        browser.press(Keys.ENTER);
        browser.see("with currency EUR");
        browser.see("Filter: 1 field set");
    }

    @Tag("proof")
    @Test
    void each_view_and_each_row_can_be_reached_by_keys() {
        browser.open("/");
        browser.see("Where the payments are");
        for (String key : List.of("d", "r", "w", "v", "p", "l", "a", "o")) {
            browser.press("g");
            browser.press(key);
        }
        browser.press("g", "d");
        browser.until("g d leads elsewhere", () -> browser.address().equals("/dead-letters"));
        browser.see("selected");
        browser.until("there are no rows", () -> browser.shows("tbody a.row"));
        browser.press("j", "j");
        String second = browser.focused();
        browser.press("k", "j");
        assertThat(browser.focused()).isEqualTo(second).startsWith("pay_");
        browser.press(Keys.ENTER);
        browser.until("Enter opens no row", () -> browser.address().equals("/payments/" + second));
        browser.press("?");
        browser.see("Keyboard shortcuts");
        assertThat(Axe.violations(browser)).isEmpty();
        browser.press(Keys.ESCAPE);
        browser.until("Escape closes nothing", () -> !browser.shows("dialog"));
    }

    @Tag("proof")
    @Test
    void old_numbers_never_pass_for_live_ones() {
        browser.open("/");
        browser.see("Live");
        browser.offline(true);
        browser.run("fetch('/api/session').catch(() => {})");
        browser.until("it still says that it is live", () -> browser.text().contains("The connection is cut."));
        browser.offline(false);
        browser.until("it does not connect again", () -> !browser.text().contains("The connection is cut."));
        browser.complaints();
    }

    @Tag("proof")
    @Test
    void a_reader_is_told_why_an_action_does_nothing() {
        browser.signIn(world.token("reader"));
        browser.open("/dead-letters");
        browser.see("Your login may only read.");
        assertThat(browser.whyNot("Merge")).contains("may only read");
        browser.open("/psps");
        browser.see("Your login may only read.");
        assertThat(Axe.violations(browser)).isEmpty();
    }

    @Tag("proof")
    @Test
    void the_switch_of_colours_outlives_a_reload() {
        browser.open("/");
        browser.click("Auto");
        browser.click("Light");
        browser.see("Dark");
        browser.open("/");
        browser.see("Dark");
        assertThat(browser.run("return document.documentElement.dataset.theme")).isEqualTo("dark");
    }
}
