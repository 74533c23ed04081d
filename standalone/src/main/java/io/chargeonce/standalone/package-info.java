/** The one entry to every command, and every service in one process over the sandbox: {@code demo} and {@code up}. */
package io.chargeonce.standalone;
