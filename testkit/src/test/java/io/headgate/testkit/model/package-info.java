@NullMarked
package io.headgate.testkit.model;

import org.jspecify.annotations.NullMarked;
