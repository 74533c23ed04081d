/** Spans of a payment's way, sent by OTLP where somebody collects them. */
package io.chargeonce.tracing;
