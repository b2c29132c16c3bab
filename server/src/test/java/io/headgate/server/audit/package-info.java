/** Tests of the audit log. */
@NullMarked
package io.headgate.server.audit;

import org.jspecify.annotations.NullMarked;
