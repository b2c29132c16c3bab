/** JUnit annotations of tests that need a program or a feature of the server, or depend on its version. */
@NullMarked
package io.headgate.testkit.conditions;

import org.jspecify.annotations.NullMarked;
