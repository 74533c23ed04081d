// SPDX-License-Identifier: Apache-2.0
/**
 * A merchant's stored payment methods: one id for the tokens that several PSPs have of one card. Knows merchants, transport and how a
 * request is read. Tokens go in here and never come out.
 */
package io.chargeonce.ingest.methods;
