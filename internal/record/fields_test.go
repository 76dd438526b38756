package record_test

import "reflect"

// fieldsOf returns the names of the exported fields of a struct.
func fieldsOf(value any) (names []string) {
	for f := range reflect.TypeOf(value).Fields() {
		if f.IsExported() {
			names = append(names, f.Name)
		}
	}
	return names
}
