// SPDX-License-Identifier: Apache-2.0
/** A TCP proxy that hurts connections on purpose. Knows nothing of what flows through it. */
package io.chargeonce.load.proxy;
