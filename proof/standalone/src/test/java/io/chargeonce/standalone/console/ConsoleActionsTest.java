// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** What a person changes in the console, in a real browser and over a real pipeline. */
@Tag("proof")
class ConsoleActionsTest {

    private static final String FREEZE = "Freeze the set and look";
    private static final String NOTHING_MOVED = "Nothing has moved yet.";

    private static ConsoleWorld world;
    private static Browser browser;

    @BeforeAll
    static void start() throws Exception {
        ConsolePagesTest.assumeBrowser();
        world = ConsoleWorld.start();
        world.die("keys", "purged", "named", "exported", "approved");
        world.die("slow-0", "slow-1", "slow-2", "slow-3", "slow-4");
        world.mend();
        browser = Browser.at(world.console);
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
        browser.signIn(world.token("operator"));
        browser.complaints();
    }

    /** Selects everything under the filter, and opens the dialog of the plan. */
    private static void plan(String address, String action, String reason) {
        browser.open(address);
        browser.click("Select all");
        browser.click(action + " …");
        browser.write("Reason", reason);
    }

    private static void freeze() {
        browser.click(FREEZE);
        browser.see(NOTHING_MOVED);
    }

    private static void awaitRunPage() {
        browser.until("the run's page does not open", () -> browser.address().startsWith("/runs/run_"));
    }

    /** Pauses or forces with the dialog that is open, and sees first what that concerns. */
    private static void hold(String button, String reason) {
        browser.until("what it concerns is not shown", () -> browser.shows("[aria-label='What it concerns']"));
        browser.see("wait in the tiers for it now");
        browser.write("Reason", reason);
        browser.click(button);
        browser.see(reason);
    }

    private static void resume(String kind, String name) {
        browser.open("/psps");
        browser.clickAt("[aria-label='Resume %s %s']".formatted(kind, name));
        browser.write("Reason", "it is over");
        browser.click("Resume");
        browser.see("Nothing is paused or forced.");
    }

    @Test
    void a_merge_by_keys_alone_is_planned_looked_at_and_runs_to_its_end() {
        browser.open("/dead-letters?reference=keys");
        browser.until("there are no rows", () -> browser.shows("tbody a.row"));
        browser.press("j", "x", "m");
        browser.see("Exactly this set is frozen");
        assertThat(Axe.violations(browser)).isEmpty();
        browser.press("the PSP works again");
        tabTo(FREEZE);
        browser.press(Keys.ENTER);
        browser.see(NOTHING_MOVED);
        assertThat(Axe.violations(browser)).isEmpty();
        tabTo("Merge ");
        browser.press(Keys.ENTER);
        awaitRunPage();
        browser.see("finished");
        browser.see("succeeded");
        assertThat(browser.complaints()).isEmpty();
    }

    private static void tabTo(String button) {
        browser.until("Tab does not reach " + button, () -> {
            if (browser.focused().startsWith(button)) {
                return true;
            }
            browser.press(Keys.TAB);
            return false;
        });
    }

    @Test
    void what_is_purged_is_shown_with_its_money_and_can_be_restored() throws Exception {
        plan("/dead-letters?reference=purged", "Purge", "a duplicate of a test");
        freeze();
        browser.click("Purge 1 dead letter");
        browser.see("finished");
        browser.open("/dead-letters?state=purged");
        browser.until("the groups are not those of what was purged",
                () -> browser.textOf(".groups").matches("(?s).*cancelled unexecuted\\s+1\\s+26.11 USD\\s+oldest.*"));
        assertThat(browser.textOf(".total")).contains("1", "purged", "26.11 USD");
        assertThat(browser.textOf(".standing-sums")).isEqualTo("rechargeable");
        assertThat(browser.text()).doesNotContain("no money");
        Looks.each(browser, "purged");
        plan("/dead-letters?state=purged&reference=purged", "Restore", "it was none");
        freeze();
        browser.click("Restore 1 dead letter");
        browser.see("finished");
        browser.open("/dead-letters?reference=purged");
        browser.see("reference purged");
        browser.open("/audit");
        browser.see("a duplicate of a test");
        browser.see("console at 127.0.0.1");
    }

    @Test
    void a_set_that_has_changed_is_not_touched_and_the_dialog_says_what_changed() throws Exception {
        plan("/dead-letters?merchant=acme", "Merge", "as seen");
        world.die("changed");
        world.mend();
        browser.click(FREEZE);
        browser.see("The set has changed since you saw it, so nothing was done.");
        browser.see("1 more");
        freeze();
        browser.click("Drop it");
        browser.see("is dropped. Nothing has moved.");
    }

    @Test
    void a_merge_shows_its_progress_live_and_another_rate_a_stop_a_resume_and_a_cancel_take_effect()
            throws Exception {
        browser.open("/psps");
        browser.clickAt("section[aria-label=stripe] button");
        hold("Pause", "its charges are looked into");
        browser.open("/");
        browser.until("what is paused is not told first", () -> browser.textOf(".advice li").contains("PSP stripe is paused by operator"));
        browser.see("Held by a person");
        Looks.each(browser, "held");
        // While the PSP is paused the canary does not end, so that the run neither ends nor goes on by itself.
        plan("/dead-letters?customer=slow@example.org", "Merge", "the PSP works again");
        browser.write("Canary", "1");
        browser.write("Rate at first", "1");
        freeze();
        browser.click("Merge ");
        awaitRunPage();
        browser.see("Canary: 0 payments of 1 ended. It waits: psp stripe is paused by operator.");
        browser.see("1 of ");
        assertThat(Axe.violations(browser)).isEmpty();
        browser.write("Rate", "50");
        browser.click("Set the rate");
        browser.see("The rate is 50 a second now.");
        browser.click("Stop");
        browser.see("Stopped between two batches");
        Looks.each(browser, "run-stopped");
        browser.click("Resume");
        browser.see("Canary: 0 payments of 1 ended.");
        browser.click("Cancel …");
        browser.click("Cancel the run");
        browser.see("cancelled");
        assertThat(browser.complaints()).isEmpty();
        resume("psp", "stripe");
    }

    @Test
    void above_the_limit_another_person_approves_the_very_set_that_was_shown() throws Exception {
        world.fourEyesAbove(0);
        try {
            plan("/dead-letters?reference=approved", "Merge", "a big one");
            freeze();
            browser.see("It is more than you may do alone within 24 hours.");
            browser.click("Go to the run");
            awaitRunPage();
            String run = browser.address();
            browser.see("You planned it, so another person approves it.");
            browser.signIn(world.token("approver"));
            browser.open("/runs?show=approval");
            browser.click(run.substring("/runs/".length()));
            browser.click("Approve …");
            assertThat(Axe.violations(browser)).isEmpty();
            browser.click("Approve");
            browser.see("by approver");
            browser.signIn(world.token("operator"));
            browser.open(run);
            browser.click("Start");
            browser.see("finished");
        } finally {
            world.noFourEyes();
        }
    }

    @Test
    void what_waits_in_a_paused_tier_is_tried_now_or_stopped_and_what_kafka_loses_there_is_overdue_until_it_is_staged_again()
            throws Exception {
        browser.open("/psps");
        browser.clickAt("section[aria-labelledby=holds-title] header button");
        browser.choose("What", "Tier");
        browser.write("Number of the tier", "3");
        hold("Pause", "its consumers are looked into");
        world.waitInLastTier("tried-now", "stopped", "lost");
        browser.open("/waiting?tier=3");
        browser.see("paused");
        assertThat(Axe.violations(browser)).isEmpty();
        endWait("tried-now", "Retry now", "Retry 1");
        browser.see("staged to be tried now");
        browser.open("/waiting?tier=3");
        endWait("stopped", "Stop", "Stop 1");
        browser.see("stopped: in the queue");
        assertThat(browser.complaints()).isEmpty();
        world.loseRecords(3);
        String lost = world.paymentId("lost");
        browser.open("/overdue");
        browser.until("the watchdog does not see the loss", () -> {
            browser.press("r");
            return browser.text().contains(lost);
        });
        resume("tier", "3");
        world.awaitSuccess("lost");
        browser.until("what the sweeper healed is overdue", () -> browser.textOf("nav.views a[href='/overdue']").equals("Overdue"));
    }

    /** Selects the payment by keys, and ends its wait. */
    private static void endWait(String reference, String action, String button) throws Exception {
        browser.clickAt("[aria-label='Select %s']".formatted(world.paymentId(reference)));
        browser.see("1 selected");
        browser.click(action + " …");
        browser.write("Reason", "it cannot wait");
        browser.click(button);
    }

    @Test
    void a_merchant_is_paused_and_a_psp_forced_once_it_is_shown_what_that_concerns() {
        browser.open("/psps");
        browser.clickAt("section[aria-labelledby=holds-title] header button");
        browser.choose("What", "Merchant");
        browser.write("Name", "globex");
        assertThat(Axe.violations(browser)).isEmpty();
        hold("Pause", "it asked for it");
        resume("merchant", "globex");
        browser.click("Force …");
        hold("Force", "a probe");
        browser.see("forced");
        resume("psp", "adyen");
        browser.open("/audit");
        browser.see("a probe");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void personal_data_is_shown_for_a_reason_and_never_by_an_address() {
        browser.open("/dead-letters?reference=named");
        browser.see("reference named");
        assertThat(browser.whyNot("Show personal data")).contains("may not see personal data");
        browser.signIn(world.token("approver"));
        browser.open("/dead-letters?reference=named");
        browser.click("Show personal data");
        browser.write("Reason", "the customer called");
        browser.click("Show");
        browser.see("The audit log has your reason: the customer called");
        assertThat(browser.address()).doesNotContain("unmasked");
        browser.open(browser.address());
        browser.see("Show personal data");
        assertThat(browser.text()).doesNotContain(ConsoleWorld.customer("named"));
    }

    @Test
    void an_export_holds_what_the_filter_shows() {
        browser.open("/dead-letters?reference=exported");
        browser.see("reference exported");
        Object lines = browser.await("""
                const done = arguments[arguments.length - 1];
                fetch(document.querySelector('a[download]').href).then((answer) => answer.text())
                  .then((text) => done(text.trim().split('\\n').length));
                """);
        assertThat(lines).isEqualTo(1L);
    }

    @Test
    void a_session_that_has_ended_asks_for_the_token_and_goes_on_where_the_person_was() {
        browser.open("/runs");
        browser.see("Runs");
        browser.await("""
                const done = arguments[arguments.length - 1];
                fetch('/api/session').then((answer) => answer.json())
                  .then(({ csrf }) => fetch('/api/session', { method: 'DELETE', headers: { 'X-CSRF-Token': csrf } })).then(() => done());
                """);
        browser.see("Your session has ended.");
        browser.write("Sign-in token", world.token("reader"));
        browser.press(Keys.ENTER);
        browser.see("Sign out");
        assertThat(browser.address()).isEqualTo("/runs");
    }
}
