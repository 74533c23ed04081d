// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.Fault;
import java.util.List;

/** The third PSP, added as docs/adding-a-psp.md says. */
class PaperGatewayContractTest extends GatewayContract {

    PaperGatewayContractTest() {
        super(new PaperPsp(), PaperGateway::new, "paper");
    }

    @Override
    List<Endpoint> callsOfAnAttempt() {
        return List.of(PaperPsp.Call.PAY);
    }

    @Override
    Endpoint query() {
        return PaperPsp.Call.FIND;
    }

    @Override
    String cardWithoutMoney() {
        return "paper_without_money";
    }

    @Override
    boolean canBeAskedAbout(Fault fault) {
        return true;
    }
}
