// SPDX-License-Identifier: Apache-2.0
/**
 * Where merchants get webhooks, and how they and their admins manage it. It knows Postgres, and sends nothing.
 */
package io.chargeonce.endpoints;
