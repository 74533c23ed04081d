package io.chargeonce.ledger;

import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.time.Instant;
import java.util.Optional;

/**
 * One attempt to move an operation's money at one PSP, as stored before its first byte was sent.
 *
 * @param request       what is sent, byte for byte, whenever it is sent again
 * @param sentAt        by the database's clock
 * @param keyValidUntil until when the PSP still knows the key; after that the attempt is only asked about
 */
public record Attempt(
        PspKey key,
        String operationId,
        PaymentId payment,
        int generation,
        int sequence,
        String psp,
        AttemptState state,
        byte[] request,
        Instant sentAt,
        Instant keyValidUntil,
        Optional<String> pspReference,
        Optional<String> cause,
        Optional<String> message) {}
