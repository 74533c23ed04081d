// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.endpoints.EndpointSecret;
import com.standardwebhooks.Webhook;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignaturesTest {

    /** The vector that the libraries of the Standard Webhooks specification test each other with. */
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final long TIMESTAMP = 1_614_265_330;
    private static final String BODY = "{\"test\": 2432232314}";
    private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    @Test
    void the_specifications_vector_has_its_signature() {
        assertThat(Signatures.of(List.of(SECRET), ID, TIMESTAMP, BODY)).isEqualTo(SIGNATURE);
    }

    @Test
    void with_two_secrets_there_are_two_signatures_separated_by_a_space() throws Exception {
        String newer = EndpointSecret.make();
        String both = Signatures.of(List.of(newer, SECRET), ID, TIMESTAMP, BODY);
        assertThat(both.split(" ")).containsExactly(new Webhook(newer).sign(ID, TIMESTAMP, BODY), SIGNATURE);
    }

    @Test
    void a_secret_has_256_bits_and_is_made_once() {
        String secret = EndpointSecret.make();
        assertThat(secret).startsWith("whsec_").isNotEqualTo(EndpointSecret.make());
        assertThat(Base64.getDecoder().decode(secret.substring("whsec_".length()))).hasSize(32);
    }
}
