/** Tests of reading the audit log. */
@NullMarked
package io.headgate.server.audit.read;

import org.jspecify.annotations.NullMarked;
