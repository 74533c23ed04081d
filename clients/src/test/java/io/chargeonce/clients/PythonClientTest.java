// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.clients;

class PythonClientTest extends ClientContract {

    PythonClientTest() {
        super(Language.PYTHON);
    }
}
