// SPDX-License-Identifier: Apache-2.0
/** The delivery of PSPs' webhooks. */
package io.chargeonce.sandbox.webhook;
