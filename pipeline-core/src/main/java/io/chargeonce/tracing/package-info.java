// SPDX-License-Identifier: Apache-2.0
/** Spans of a payment's way, sent by OTLP if OpenTelemetry's variables say where. */
package io.chargeonce.tracing;
