@NullMarked
package io.headgate.config.consul;

import org.jspecify.annotations.NullMarked;
