// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** What a person changes in the console, in a real browser and over a real pipeline. */
class ConsoleActionsTest {

    private static ConsoleWorld world;
    private static Browser browser;

    @BeforeAll
    static void start() throws Exception {
        if (!Browser.isThere()) {
            System.out.println(ConsolePagesTest.SKIPPED);
        }
        assumeThat(Browser.isThere()).as(ConsolePagesTest.SKIPPED).isTrue();
        world = ConsoleWorld.start();
        world.trade(20);
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
        browser.click(action);
        browser.write("Reason", reason);
        browser.click("Freeze the set and look");
    }

    @Test
    void a_merge_by_keys_alone_is_planned_looked_at_and_runs_to_its_end() throws Exception {
        world.die("keys", 5);
        world.mend();
        browser.open("/dead-letters?text=&currency=EUR");
        browser.until("there are no rows", () -> browser.shows("tbody a.row"));
        browser.press("j", "x", "e", "m");
        browser.see("Exactly this set is frozen");
        assertThat(Axe.violations(browser)).isEmpty();
        browser.press("the PSP works again");
        tabTo("Freeze the set and look");
        browser.press(Keys.ENTER);
        browser.see("Nothing has moved yet.");
        assertThat(Axe.violations(browser)).isEmpty();
        tabTo("Merge ");
        browser.press(Keys.ENTER);
        browser.until("the run's page does not open", () -> browser.address().startsWith("/runs/run_"));
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
    void what_is_purged_can_be_restored() throws Exception {
        world.die("purged", 3);
        plan("/dead-letters?reference=purged-1", "Purge", "a duplicate of a test");
        browser.see("Nothing has moved yet.");
        browser.click("Purge 1 dead letter");
        browser.see("finished");
        plan("/dead-letters?state=purged&reference=purged-1", "Restore", "it was none");
        browser.see("Nothing has moved yet.");
        browser.click("Restore 1 dead letter");
        browser.see("finished");
        browser.open("/dead-letters?reference=purged-1");
        browser.see("purged-1");
        browser.open("/audit");
        browser.see("a duplicate of a test");
    }

    @Test
    void a_set_that_has_changed_is_not_touched_and_the_dialog_says_what_changed() throws Exception {
        world.die("before", 2);
        browser.open("/dead-letters?text=");
        browser.click("Select all");
        browser.click("Merge");
        browser.write("Reason", "as seen");
        world.die("after", 1);
        browser.click("Freeze the set and look");
        browser.see("The set has changed since you saw it, so nothing was done.");
        browser.see("1 more");
        browser.click("Freeze the set and look");
        browser.see("Nothing has moved yet.");
        browser.click("Drop it");
        browser.see("is dropped. Nothing has moved.");
    }

    @Test
    void a_psp_that_is_paused_says_so_until_it_is_resumed() {
        browser.open("/psps");
        browser.see("adyen");
        browser.clickAt("section[aria-label=adyen] button");
        browser.write("Reason", "charges fail");
        browser.click("Pause");
        browser.see("by operator: charges fail".replace("operator", world.token("operator").split(":")[0]));
        browser.clickAt("section[aria-label=adyen] button");
        browser.write("Reason", "they work again");
        browser.click("Resume");
        browser.see("Nothing is paused or forced.");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void personal_data_is_shown_for_a_reason_and_never_by_an_address() throws Exception {
        world.die("named", 1);
        browser.open("/dead-letters?reference=named-0");
        browser.click("Show personal data");
        browser.write("Reason", "the customer called");
        browser.click("Show");
        browser.see("The audit log has your reason: the customer called");
        assertThat(browser.address()).doesNotContain("unmasked");
        browser.open(browser.address());
        browser.see("Show personal data");
        assertThat(browser.text()).doesNotContain("jane.doe@example.org");
    }

    @Test
    void an_export_holds_what_the_filter_shows() throws Exception {
        world.die("exported", 2);
        browser.open("/dead-letters?reference=exported-0");
        browser.see("exported-0");
        Object lines = browser.await("""
                const done = arguments[arguments.length - 1];
                fetch(document.querySelector('a[download]').href).then((answer) => answer.text())
                  .then((text) => done(text.trim().split('\\n').length));
                """);
        assertThat(lines).isEqualTo(1L);
    }
}
