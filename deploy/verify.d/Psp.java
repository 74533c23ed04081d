// SPDX-License-Identifier: Apache-2.0
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The sandbox's Stripe, which listens only on the loopback interface, and a relay that makes it reachable for containers. */
class Psp {
    /** @param arguments the address of this machine as seen by the containers, and the port */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[1]);
        StripeSimulator stripe = StripeSimulator.start(StripeSimulatorSettings.inMemory());
        try (var relay = new ServerSocket(port, 200, InetAddress.getByName(arguments[0]))) {
            while (true) {
                Socket in = relay.accept();
                Socket out = new Socket(stripe.apiBase().getHost(), stripe.apiBase().getPort());
                Thread.startVirtualThread(() -> pump(in, out));
                Thread.startVirtualThread(() -> pump(out, in));
            }
        }
    }

    private static void pump(Socket from, Socket to) {
        try (from; to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException gone) {
            // One side has closed, and so does the other.
        }
    }
}
