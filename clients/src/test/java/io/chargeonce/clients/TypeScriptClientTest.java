// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.clients;

class TypeScriptClientTest extends ClientContract {

    TypeScriptClientTest() {
        super(Language.TYPESCRIPT);
    }
}
