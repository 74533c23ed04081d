// SPDX-License-Identifier: Apache-2.0
/** Every service in one process over the sandbox, for one machine: {@code demo}, {@code up} and {@code sandbox}. */
package io.chargeonce.standalone;
