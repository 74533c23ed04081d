// SPDX-License-Identifier: Apache-2.0
/**
 * The console's HTTP: routes, what guards them, and the page's files.
 * May know the console's other rooms.
 */
package io.chargeonce.console.web;
