"""The schemaspaces that ship with this package: Elyra's, reimplemented, and our own, registered like those of any
package.
"""
