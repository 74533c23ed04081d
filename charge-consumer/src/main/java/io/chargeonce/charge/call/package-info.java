// SPDX-License-Identifier: Apache-2.0
/** Calls of PSPs about stored attempts: each send is counted in its row before the first byte leaves. */
package io.chargeonce.charge.call;
