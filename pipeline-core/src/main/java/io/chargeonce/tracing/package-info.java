// SPDX-License-Identifier: Apache-2.0
/** Spans of a payment's way, sent by OTLP if an endpoint is set. */
package io.chargeonce.tracing;
