// SPDX-License-Identifier: Apache-2.0
/** HTTP to PSPs: exchanges that end in time and are sent once, and what their failures prove. */
package io.chargeonce.psp.http;
