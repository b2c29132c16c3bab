@NullMarked
package io.headgate.testkit.conditions;

import org.jspecify.annotations.NullMarked;
