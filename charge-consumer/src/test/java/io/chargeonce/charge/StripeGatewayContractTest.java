package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.Operation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.util.List;
import org.junit.jupiter.api.Test;

class StripeGatewayContractTest extends GatewayContract {

    StripeGatewayContractTest() {
        super(StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSettings.inMemory()),
                StripeGatewayContractTest::gateway, "sk_test_1");
    }

    private static Gateway gateway(StripeSimulator stripe, String apiKey) {
        return new StripeGateway(new StripeSettings(apiKey, stripe.apiBase().toString(), CALL_TIMEOUT));
    }

    @Override
    List<Endpoint> callsOfAnAttempt() {
        return List.of(Operation.CREATE, Operation.CONFIRM);
    }

    @Override
    Endpoint question() {
        return Operation.RETRIEVE;
    }

    @Override
    String cardWithoutMoney() {
        return "pm_card_visa_chargeDeclinedInsufficientFunds";
    }

    /** The intent can always be retrieved. */
    @Override
    boolean canBeAskedAbout(Fault fault) {
        return true;
    }

    @Test
    void a_frozen_500_after_the_capture_is_resolved_by_asking() {
        psp().inject(FaultRule.once(new Fault.FailAfter()).on(Operation.CONFIRM));
        String id = books().accept(order());
        settle(id);
        assertThat(books().operation(id).sequence()).isEqualTo(1);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    void a_confirmation_that_always_fails_unexecuted_cascades_to_the_dead_letter_queue_and_charges_nothing() {
        psp().inject(FaultRule.once(new Fault.FailBefore()).on(Operation.CONFIRM).always());
        String id = books().accept(order());
        settle(id);
        assertThat(books().state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books().operation(id).sequence()).isEqualTo(4);
        assertThat(captures(id)).isEmpty();
    }
}
