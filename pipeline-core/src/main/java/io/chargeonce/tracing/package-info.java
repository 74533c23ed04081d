// SPDX-License-Identifier: Apache-2.0
/** Spans of a payment's way, sent by OTLP where somebody collects them. */
package io.chargeonce.tracing;
