// SPDX-License-Identifier: Apache-2.0
/**
 * The console: a page in the browser over the dead-letter queue, and its server.
 * Its rooms know the queue's, and the queue knows none of them.
 */
package io.chargeonce.console;
