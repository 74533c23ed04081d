// SPDX-License-Identifier: Apache-2.0
/**
 * Who may pay: merchants, their tokens and scopes, and each one's share of requests.
 * Knows answers and transport, and nothing of what is paid.
 */
package io.chargeonce.ingest.merchants;
