// SPDX-License-Identifier: Apache-2.0
package com.example.paper;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.GatewayContract;
import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.Gateway;
import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.LoggedRequest;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PaperGatewayContractTest extends GatewayContract {

    PaperGatewayContractTest() {
        super(PaperProvider.RULES, PaperPsp.start(), PaperGatewayContractTest::gateway, PaperPsp.API_KEY);
    }

    private static Gateway gateway(PaperPsp psp, String apiKey) {
        return new PaperSettings("paper", () -> apiKey, psp.address(), CALL_TIMEOUT).gateway();
    }

    @Override
    protected List<Endpoint> callsOfAnAttempt() {
        return List.of(PaperPsp.Call.PAY);
    }

    @Override
    protected Endpoint query() {
        return PaperPsp.Call.OUTCOME;
    }

    @Override
    protected Optional<Endpoint> refund() {
        return Optional.of(PaperPsp.Call.REFUND);
    }

    @Override
    protected String cardWithoutMoney() {
        return "card_without_money";
    }

    /** A key's outcome can always be queried. */
    @Override
    protected boolean canBeAskedAbout(Fault fault) {
        return true;
    }

    /** A test of its own stands beside those of the contract. */
    @Test
    void a_lost_card_is_declined_with_papers_own_reason() {
        String id = accept("card_lost");
        settle(id);
        assertThat(state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(captures(id)).isEmpty();
    }

    /** Paper says when by a date. */
    @Test
    void a_payment_that_is_to_come_later_is_sent_again_without_a_query() {
        psp().inject(FaultRule.once(new Fault.RateLimited(1)).on(PaperPsp.Call.PAY));
        int before = psp().requests().size();
        String id = accept(card());
        settle(id);
        assertThat(captures(id)).hasSize(1);
        List<LoggedRequest> requests = psp().requests().subList(before, psp().requests().size());
        List<String> keys = requests.stream().filter(request -> request.path().equals("/payments"))
                .map(request -> request.idempotencyKey().orElseThrow()).toList();
        assertThat(keys).hasSizeGreaterThan(1);
        assertThat(requests).extracting(LoggedRequest::path)
                .doesNotContainAnyElementsOf(keys.stream().map("/keys/%s/outcome"::formatted).toList());
    }
}
