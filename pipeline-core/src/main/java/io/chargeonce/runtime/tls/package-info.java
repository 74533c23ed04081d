// SPDX-License-Identifier: Apache-2.0
/**
 * What TLS we speak, and when certificates expire.
 * May know nothing else of ours.
 */
package io.chargeonce.runtime.tls;
