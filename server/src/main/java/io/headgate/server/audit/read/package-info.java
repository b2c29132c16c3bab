/** The reading side of the audit log: {@code headgate audit} and {@code /v1/audit}. */
@NullMarked
package io.headgate.server.audit.read;

import org.jspecify.annotations.NullMarked;
