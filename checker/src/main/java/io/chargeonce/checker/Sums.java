package io.chargeonce.checker;

/** Compares money per merchant and currency, as rows, outcome events and ledgers tell it. */
final class Sums {

    private Sums() {}

    static void check(Books books, boolean ledgersRead) {
        boolean announcing = books.payments.values().stream().anyMatch(payment -> payment.outcomePending);
        books.money.forEach((whose, money) -> {
            boolean announced = announcing || money.announced == money.succeeded;
            if (!announced || ledgersRead && money.captured != money.succeeded) {
                books.findings.addGeneral(Invariant.MONEY_SUM, "%s: %d succeeded, %d announced, %s captured".formatted(
                        whose, money.succeeded, money.announced, ledgersRead ? "" + money.captured : "?"));
            }
        });
    }
}
