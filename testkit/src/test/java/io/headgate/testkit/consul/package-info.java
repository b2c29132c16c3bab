@NullMarked
package io.headgate.testkit.consul;

import org.jspecify.annotations.NullMarked;
